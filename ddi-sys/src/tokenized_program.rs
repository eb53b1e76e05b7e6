//! System values, component types and precisions of signature elements, from the public tokenized program format header.

ddi_enum! {
    /// System value of a signature element.
    ///
    /// Source: the public DirectX headers.
    pub enum D3D10_SB_NAME {
        /// Value 0.
        D3D10_SB_NAME_UNDEFINED = 0,
        /// Value 1.
        D3D10_SB_NAME_POSITION = 1,
        /// Value 2.
        D3D10_SB_NAME_CLIP_DISTANCE = 2,
        /// Value 3.
        D3D10_SB_NAME_CULL_DISTANCE = 3,
        /// Value 4.
        D3D10_SB_NAME_RENDER_TARGET_ARRAY_INDEX = 4,
        /// Value 5.
        D3D10_SB_NAME_VIEWPORT_ARRAY_INDEX = 5,
        /// Value 6.
        D3D10_SB_NAME_VERTEX_ID = 6,
        /// Value 7.
        D3D10_SB_NAME_PRIMITIVE_ID = 7,
        /// Value 8.
        D3D10_SB_NAME_INSTANCE_ID = 8,
        /// Value 9.
        D3D10_SB_NAME_IS_FRONT_FACE = 9,
        /// Value 10.
        D3D10_SB_NAME_SAMPLE_INDEX = 10,
        /// Value 11.
        D3D11_SB_NAME_FINAL_QUAD_U_EQ_0_EDGE_TESSFACTOR = 11,
        /// Value 12.
        D3D11_SB_NAME_FINAL_QUAD_V_EQ_0_EDGE_TESSFACTOR = 12,
        /// Value 13.
        D3D11_SB_NAME_FINAL_QUAD_U_EQ_1_EDGE_TESSFACTOR = 13,
        /// Value 14.
        D3D11_SB_NAME_FINAL_QUAD_V_EQ_1_EDGE_TESSFACTOR = 14,
        /// Value 15.
        D3D11_SB_NAME_FINAL_QUAD_U_INSIDE_TESSFACTOR = 15,
        /// Value 16.
        D3D11_SB_NAME_FINAL_QUAD_V_INSIDE_TESSFACTOR = 16,
        /// Value 17.
        D3D11_SB_NAME_FINAL_TRI_U_EQ_0_EDGE_TESSFACTOR = 17,
        /// Value 18.
        D3D11_SB_NAME_FINAL_TRI_V_EQ_0_EDGE_TESSFACTOR = 18,
        /// Value 19.
        D3D11_SB_NAME_FINAL_TRI_W_EQ_0_EDGE_TESSFACTOR = 19,
        /// Value 20.
        D3D11_SB_NAME_FINAL_TRI_INSIDE_TESSFACTOR = 20,
        /// Value 21.
        D3D11_SB_NAME_FINAL_LINE_DETAIL_TESSFACTOR = 21,
        /// Value 22.
        D3D11_SB_NAME_FINAL_LINE_DENSITY_TESSFACTOR = 22,
        /// Value 23.
        D3D12_SB_NAME_BARYCENTRICS = 23,
        /// Value 24.
        D3D12_SB_NAME_SHADINGRATE = 24,
        /// Value 25.
        D3D12_SB_NAME_CULLPRIMITIVE = 25,
    }
}

ddi_enum! {
    /// Component type of a signature element.
    ///
    /// Source: the public DirectX headers.
    pub enum D3D10_SB_REGISTER_COMPONENT_TYPE {
        /// Value 0.
        D3D10_SB_REGISTER_COMPONENT_UNKNOWN = 0,
        /// Value 1.
        D3D10_SB_REGISTER_COMPONENT_UINT32 = 1,
        /// Value 2.
        D3D10_SB_REGISTER_COMPONENT_SINT32 = 2,
        /// Value 3.
        D3D10_SB_REGISTER_COMPONENT_FLOAT32 = 3,
        /// Value 4.
        D3D10_SB_REGISTER_COMPONENT_UINT16 = 4,
        /// Value 5.
        D3D10_SB_REGISTER_COMPONENT_SINT16 = 5,
        /// Value 6.
        D3D10_SB_REGISTER_COMPONENT_FLOAT16 = 6,
        /// Value 7.
        D3D10_SB_REGISTER_COMPONENT_UINT64 = 7,
        /// Value 8.
        D3D10_SB_REGISTER_COMPONENT_SINT64 = 8,
        /// Value 9.
        D3D10_SB_REGISTER_COMPONENT_FLOAT64 = 9,
    }
}

ddi_enum! {
    /// Minimum precision of a signature element.
    ///
    /// Source: the public DirectX headers.
    pub enum D3D11_SB_OPERAND_MIN_PRECISION {
        /// Value 0.
        D3D11_SB_OPERAND_MIN_PRECISION_DEFAULT = 0,
        /// Value 1.
        D3D11_SB_OPERAND_MIN_PRECISION_FLOAT_16 = 1,
        /// Value 2.
        D3D11_SB_OPERAND_MIN_PRECISION_FLOAT_2_8 = 2,
        /// Value 4.
        D3D11_SB_OPERAND_MIN_PRECISION_SINT_16 = 4,
        /// Value 5.
        D3D11_SB_OPERAND_MIN_PRECISION_UINT_16 = 5,
    }
}
